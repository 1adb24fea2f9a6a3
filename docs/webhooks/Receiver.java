// Receives Platen's webhooks. Needs nothing but Java 17: java Receiver.java

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    static final long TOLERANCE_S = 300;
    static final int BODY_MOST = 64 * 1024; // bytes; a body has 4,096 at most
    static final byte[] KEY = Base64.getDecoder().decode(System.getenv("PLATEN_WEBHOOK_SECRET").replaceFirst("^whsec_", ""));

    // Keep it in your database: it must outlive the program.
    static final Set<String> seen = ConcurrentHashMap.newKeySet();

    // rejection returns why the request must be rejected, or null: it was signed
    // with our secret, just now.
    static String rejection(Headers headers, byte[] body) throws GeneralSecurityException {
        String id = value(headers, "webhook-id");
        String stamp = value(headers, "webhook-timestamp");
        if (!stamp.matches("\\d{1,15}")) return "the timestamp is no number";
        if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(stamp)) > TOLERANCE_S) return "the timestamp is too far from this clock";
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        mac.update((id + "." + stamp + ".").getBytes(StandardCharsets.UTF_8));
        byte[] want = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
        // For a day after a rotation there are two signatures. One has to fit.
        for (String signature : value(headers, "webhook-signature").split(" ")) {
            if (MessageDigest.isEqual(signature.getBytes(StandardCharsets.UTF_8), want)) return null; // in constant time
        }
        return "no signature fits";
    }

    static String value(Headers headers, String name) {
        String value = headers.getFirst(name);
        return value == null ? "" : value;
    }

    static void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            // The raw body first. What was parsed and written again has another signature.
            byte[] body = exchange.getRequestBody().readNBytes(BODY_MOST + 1);
            String rejection = body.length > BODY_MOST ? "the body is too large" : rejection(exchange.getRequestHeaders(), body);
            if (rejection != null) {
                byte[] text = rejection.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(401, text.length);
                exchange.getResponseBody().write(text);
                return;
            }
            // The header holds the id of the event, and was signed with the body.
            String id = value(exchange.getRequestHeaders(), "webhook-id");
            if (seen.add(id)) { // the same event can come more than once
                // Parse the body with the library of your choice. Deliveries can
                // overtake each other: created_at is their order.
                System.out.println("handled " + id + " of " + body.length + " bytes");
            }
            // Respond within 5 seconds: do slow work after the response.
            exchange.sendResponseHeaders(204, -1);
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
        server.createContext("/", Receiver::receive);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
    }
}
