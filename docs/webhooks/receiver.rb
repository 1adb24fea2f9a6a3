# Receives Platen's webhooks. Needs Ruby 3 and the gem webrick; in Rails or
# Sinatra take verify as it is and request.raw_post or request.body.read.

require "base64"
require "json"
require "openssl"
require "webrick"

TOLERANCE_S = 300
BODY_MOST = 64 * 1024 # bytes; a body has 4,096 at most
KEY = Base64.strict_decode64(ENV.fetch("PLATEN_WEBHOOK_SECRET").delete_prefix("whsec_"))

# rejection returns why the request must be rejected, or nil: it was signed with
# our secret, just now.
def rejection(id, stamp, signatures, body)
  return "the timestamp is no number" unless stamp.to_s.match?(/\A\d{1,15}\z/)
  return "the timestamp is too far from this clock" if (Time.now.to_i - stamp.to_i).abs > TOLERANCE_S

  want = "v1," + Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", KEY, "#{id}.#{stamp}.#{body}"))
  # For a day after a rotation there are two signatures. One has to fit.
  fits = signatures.to_s.split.any? { |signature| OpenSSL.secure_compare(signature, want) } # in constant time
  fits ? nil : "no signature fits"
end

class Receiver < WEBrick::HTTPServlet::AbstractServlet
  SEEN = {} # keep it in your database: it must outlive the program
  LOCK = Mutex.new

  def do_POST(request, response)
    # The raw body first. What was parsed and written again has another signature.
    body = request.body.to_s
    why = body.bytesize > BODY_MOST ? "the body is too large" : nil
    why ||= rejection(request["webhook-id"], request["webhook-timestamp"], request["webhook-signature"], body)
    if why
      response.status = 401
      response.body = why
      return
    end
    event = JSON.parse(body)
    LOCK.synchronize do
      unless SEEN[event["id"]] # the same event can come more than once
        SEEN[event["id"]] = true
        # A retry can arrive late: event["created_at"] is the order, compared as text.
        puts "handled #{event["id"]} #{event["type"]}"
        $stdout.flush
      end
    end
    # Respond within 5 seconds: do slow work after the response.
    response.status = 204
  end
end

server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ENV.fetch("PORT").to_i, AccessLog: [], Logger: WEBrick::Log.new(File::NULL))
server.mount("/", Receiver)
trap("TERM") { server.shutdown }
server.start
