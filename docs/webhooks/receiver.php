<?php
// Receives Platen's webhooks. Needs nothing but PHP 8:
// php -S 127.0.0.1:$PORT receiver.php

const TOLERANCE_S = 300;
const BODY_MOST = 64 * 1024; // bytes; a body has 4,096 at most

// rejection returns why the request must be rejected, or null: it was signed with
// our secret, just now.
function rejection(string $body): ?string
{
    $key = base64_decode(preg_replace('/^whsec_/', '', getenv('PLATEN_WEBHOOK_SECRET')), true);
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $stamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/^\d{1,15}$/D', $stamp)) {
        return 'the timestamp is no number';
    }
    if (abs(time() - (int) $stamp) > TOLERANCE_S) {
        return 'the timestamp is too far from this clock';
    }
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$stamp.$body", $key, true));
    // For a day after a rotation there are two signatures. One has to fit.
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($want, $signature)) { // in constant time
            return null;
        }
    }
    return 'no signature fits';
}

// isFresh reports whether an event was not seen before. Keep this in your
// database; here each id is a file, which only one request can make.
function isFresh(string $id): bool
{
    $folder = getenv('SEEN_FOLDER') ?: sys_get_temp_dir() . '/platen-seen';
    @mkdir($folder, 0700);
    return @fopen($folder . '/' . hash('sha256', $id), 'x') !== false;
}

// The raw body first. What was parsed and written again has another signature.
$body = file_get_contents('php://input', false, null, 0, BODY_MOST + 1);
$rejection = strlen($body) > BODY_MOST ? 'the body is too large' : rejection($body);
if ($rejection !== null) {
    http_response_code(401);
    exit($rejection);
}
$event = json_decode($body, false, 32, JSON_THROW_ON_ERROR);
if (isFresh($event->id)) { // the same event can come more than once
    // A retry can arrive late: $event->created_at is the order, compared as text.
    error_log("handled {$event->id} {$event->type}");
}
// Respond within 5 seconds: do slow work after the response.
http_response_code(204);
