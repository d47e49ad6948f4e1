<?php

declare(strict_types=1);

namespace Supplierd;

final class WebhookSignature
{
    /**
     * What a webhook brought, or SignatureError.
     *
     * @param array<string, string> $headers of any case: getallheaders()
     * @param string $body as it came: file_get_contents('php://input')
     * @param ?int $now in seconds
     * @return array{type: string, timestamp: string, data: array<string, mixed>}
     */
    public static function verify(#[\SensitiveParameter] string $secret, array $headers, string $body, ?int $now = null): array
    {
        $fields = array_change_key_case($headers);
        $timestamp = $fields['webhook-timestamp'] ?? '';
        if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > 300) {
            throw new SignatureError('The webhook is older than five minutes.');
        }
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
        $signed = ($fields['webhook-id'] ?? '') . ".$timestamp.$body";
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
        foreach (explode(' ', $fields['webhook-signature'] ?? '') as $given) {
            if (hash_equals($expected, $given)) {
                return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
            }
        }
        throw new SignatureError('No signature of the webhook is by this secret.');
    }
}
