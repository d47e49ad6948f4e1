<?php

declare(strict_types=1);

namespace Supplierd;

/** The API refused a request. Each `errorCode` has a class of its own, such as NotFoundError. */
class ApiError extends \RuntimeException
{
    /**
     * @param list<array<string, mixed>> $details
     * @param ?float $retryAfter seconds to wait, where the server names them
     */
    final public function __construct(
        public readonly int $status,
        public readonly string $errorCode,
        string $message,
        public readonly array $details,
        public readonly string $requestId,
        public readonly ?float $retryAfter,
    ) {
        parent::__construct("$status $errorCode: $message", $status);
    }

    /** Whether one of the details has this code, such as `too_old`. */
    public function has(string $code): bool
    {
        return in_array($code, array_column($this->details, 'code'), true);
    }
}

/** No answer came. A write without an idempotency key may have been done all the same. */
class NoAnswerError extends \RuntimeException
{
}

class SignatureError extends \RuntimeException
{
}

final class Answer
{
    /**
     * @param array<string, string> $headers their names in lower case
     * @param mixed $data what is in the envelope; the text of a file; null when nothing has changed (304)
     */
    public function __construct(public readonly int $status, public readonly array $headers, public readonly mixed $data)
    {
    }
}

class Client
{
    /** @var array<string, class-string<ApiError>> */
    protected const ERRORS = [];
    /** @var array<string, array{method: string, path: string, headers: list<string>, types: list<string>}> */
    protected const OPERATIONS = [];

    private readonly \CurlHandle $curl;

    /**
     * @param string $url with `/api/v1/supplier`
     * @param int $attempts how often a request is sent at most
     * @param float $maxWait for how many seconds a call waits at most, over all its attempts, before it throws the refusal
     * @param int $timeout seconds for one attempt
     * @param ?\Closure(array<string, mixed>): void $onWarning is called for what the API ignored, such as an unknown field
     */
    public function __construct(
        private readonly string $url,
        #[\SensitiveParameter] private readonly string $key,
        private readonly int $attempts = 5,
        private readonly float $maxWait = 60,
        private readonly int $timeout = 60,
        private readonly ?\Closure $onWarning = null,
    ) {
        $this->curl = curl_init();
    }

    /**
     * For what the methods do not show: headers of the answer, and 304. Repeats what is safe to repeat.
     *
     * @param array<string, mixed> $query
     * @param array<string, string> $headers
     * @param mixed $body is sent as JSON, or, if the headers name a Content-Type, as it is
     */
    public function request(string $method, string $path, array $query = [], array $headers = [], mixed $body = null): Answer
    {
        $texts = array_map(fn ($value) => is_bool($value) ? json_encode($value) : $value, $query);
        $url = rtrim($this->url, '/') . $path . ($texts ? '?' . http_build_query($texts, '', '&', PHP_QUERY_RFC3986) : '');
        $headers['Authorization'] = "Bearer $this->key";
        if ($body !== null && !isset($headers['Content-Type'])) {
            $headers['Content-Type'] = 'application/json';
            $body = json_encode($body === [] ? new \stdClass() : $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        }
        $hasKey = isset($headers['Idempotency-Key']);
        $isSafe = $method === 'GET' || $hasKey;
        $left = $this->maxWait;
        for ($attempt = 1;; $attempt++) {
            $isRepeatable = $isSafe;
            $wait = null;
            try {
                [$status, $fields, $text] = $this->send($method, $url, $headers, $body, $isSafe);
                if ($status < 300 || $status === 304) {
                    return $this->answerOf($status, $fields, $text);
                }
                $problem = $this->refusalOf($status, $fields, $text);
                $wait = $problem->retryAfter;
                $isRepeatable = $status === 429 || ($isSafe && $status === 503) || ($hasKey && $status === 409);
            } catch (NoAnswerError $noAnswer) {
                $problem = $noAnswer;
            }
            $wait = $wait ?: $attempt;
            if (!$isRepeatable || $attempt >= $this->attempts || $wait > $left) {
                throw $problem;
            }
            $left -= $wait;
            usleep((int) ($wait * 1e6));
        }
    }

    /**
     * @param list<int|string> $given values of the path, in its order
     * @param array<string, mixed> $options of the query, or names of headers: `if_match`
     */
    protected function call(string $operation, array $given, mixed $body = null, array $options = []): mixed
    {
        ['method' => $method, 'path' => $path, 'headers' => $names, 'types' => $types] = static::OPERATIONS[$operation];
        $options = array_filter($options, fn ($value) => $value !== null);
        $headers = [];
        foreach ($names as $header) {
            $name = strtolower(strtr($header, '-', '_'));
            if (isset($options[$name])) {
                $headers[$header] = $options[$name];
            }
            unset($options[$name]);
        }
        if (in_array('Idempotency-Key', $names, true)) {
            $headers['Idempotency-Key'] ??= bin2hex(random_bytes(16));
        }
        if ($types && !in_array('application/json', $types, true)) {
            $headers['Content-Type'] = $options['content_type'] ?? $types[0];
            unset($options['content_type']);
        }
        $path = preg_replace_callback('/\{\w+\}/', function () use (&$given) {
            return rawurlencode((string) array_shift($given));
        }, $path);
        return $this->request($method, $path, $options, $headers, $body)->data;
    }

    /**
     * @param list<int|string> $given
     * @param array<string, mixed> $options
     */
    protected function iterate(string $operation, array $given, string $list, array $options): \Generator
    {
        do {
            $page = $this->call($operation, $given, null, $options);
            foreach ($page[$list] as $item) {
                yield $item;
            }
            $options['cursor'] = $page['pagination']['next_cursor'] ?? null;
        } while ($options['cursor'] !== null);
    }

    /**
     * @param list<int|string> $given
     * @param array<string, mixed> $options
     */
    protected function changes(string $operation, array $given, array $options): \Generator
    {
        do {
            $page = $this->call($operation, $given, null, $options);
            yield $page;
            $options['changed_after'] = $page['pagination']['last_change_seq'];
        } while ($page['pagination']['has_more']);
    }

    /**
     * @param array<string, string> $headers
     * @return array{int, array<string, string>, string}
     */
    private function send(string $method, string $url, array $headers, ?string $body, bool $isSafe): array
    {
        $fields = [];
        curl_reset($this->curl); // keeps the connection
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => array_map(fn ($name, $value) => "$name: $value", array_keys($headers), $headers),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => $this->timeout,
            // On a connection that it kept, curl by itself repeats what got no answer.
            CURLOPT_FRESH_CONNECT => !$isSafe,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$fields): int {
                if (str_contains($line, ':')) {
                    [$name, $value] = explode(':', $line, 2);
                    $fields[strtolower($name)] = trim($value);
                }
                return strlen($line);
            },
        ] + ($method === 'GET' ? [] : [CURLOPT_POSTFIELDS => $body ?? '']));
        $text = curl_exec($this->curl);
        if (!is_string($text)) {
            throw new NoAnswerError("$method $url: " . curl_error($this->curl));
        }
        return [curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $fields, $text];
    }

    /** @param array<string, string> $fields */
    private function answerOf(int $status, array $fields, string $text): Answer
    {
        if (!str_starts_with($fields['content-type'] ?? '', 'application/json')) {
            return new Answer($status, $fields, $status === 304 ? null : $text);
        }
        $envelope = json_decode($text, true, 512, JSON_THROW_ON_ERROR);
        foreach ($this->onWarning ? $envelope['warnings'] ?? [] : [] as $warning) {
            ($this->onWarning)($warning);
        }
        return new Answer($status, $fields, $envelope['data']);
    }

    /** @param array<string, string> $fields */
    private function refusalOf(int $status, array $fields, string $text): ApiError
    {
        $error = json_decode($text, true)['error'] ?? []; // none on a proxy's page
        $class = static::ERRORS[$error['code'] ?? ''] ?? ApiError::class;
        $wait = $fields['retry-after'] ?? null;
        return new $class($status, $error['code'] ?? 'UNKNOWN', $error['message'] ?? '', $error['details'] ?? [],
            $error['request_id'] ?? $fields['x-request-id'] ?? '', is_numeric($wait) ? (float) $wait : null);
    }
}
