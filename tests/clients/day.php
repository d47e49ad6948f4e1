<?php

declare(strict_types=1);

require 'vendor/autoload.php';

use Supplierd\SupplierApi;
use Supplierd\WebhookSignature;

[$url, $key, $stub] = [getenv('URL'), getenv('KEY'), getenv('STUB')];
$warnings = [];
$api = new SupplierApi($url, $key, onWarning: function (array $warning) use (&$warnings): void {
    $warnings[] = $warning['message'];
});

function refused(callable $call): mixed
{
    try {
        $call();
    } catch (Supplierd\ApiError | Supplierd\NoAnswerError | Supplierd\SignatureError $error) {
        return $error;
    }
    throw new LogicException('this was not refused');
}

function name(object $error): string
{
    return substr($error::class, strlen('Supplierd\\'));
}

function report(string $what, string|bool $outcome): void
{
    echo "$what: ", is_bool($outcome) ? json_encode($outcome) : $outcome, "\n";
}

report('key of a supplier', $api->me()['supplier']['name'] !== '');
$category = $api->listCategories()['categories'][0]['id'];
$rose = ['name' => 'Client test', 'category_id' => $category, 'base_price' => 0.485, 'unit' => 'stem'];

$ids = array_map(fn () => $api->createProduct($rose)['product']['id'], [1, 2, 3]);
$walked = array_column(iterator_to_array($api->iterateProducts(per_page: 2), false), 'id');
report('walked by pages of two', array_diff($ids, $walked) === []);

$idempotencyKey = bin2hex(random_bytes(16));
$sku = 'PHP-' . substr($idempotencyKey, 0, 8);
$first = $api->createProduct($rose + ['sku' => $sku], idempotency_key: $idempotencyKey);
$second = $api->createProduct($rose + ['sku' => $sku], idempotency_key: $idempotencyKey);
$id = $first['product']['id'];
report('created once under one key', $id === $second['product']['id']);
report('other body under the same key', name(refused(fn () => $api->createProduct($rose, idempotency_key: $idempotencyKey))));

$after = 0;
foreach ($api->changedProducts(0) as $page) {
    $after = $page['pagination']['last_change_seq'];
}
$stock = $api->updateStock(['items' => [['sku' => $sku, 'stock_qty' => 7], ['sku' => "nobody's", 'stock_qty' => 1]]]);
report('stock', "$stock[updated] updated, $stock[failed] failed, {$stock['errors'][0]['code']}");
$api->deleteProduct($ids[0]);
$changes = [];
foreach ($api->changedProducts($after, per_page: 1) as $page) {
    foreach ($page['products'] as $product) {
        if ($product['id'] === $id && $product['stock_qty'] === 7) {
            $changes[] = 'the new stock';
        }
        if ($product['id'] === $ids[0] && isset($product['deleted_at'])) {
            $changes[] = 'a deletion';
        }
    }
}
report('changes', implode(', ', $changes));

$tag = $api->request('GET', "/products/$id")->headers['etag'];
report('updated while the tag fits', $api->updateProduct($id, ['name' => 'Client test 2'], if_match: $tag)['product']['name']);
$stale = refused(fn () => $api->updateProduct($id, ['name' => 'Client test 3'], if_match: $tag));
report('then', name($stale) . " $stale->status");
$tag = $api->request('GET', "/products/$id")->headers['etag'];
report('read again', (string) $api->request('GET', "/products/$id", headers: ['If-None-Match' => $tag])->status);

$picture = file_get_contents(getenv('PICTURE'));
$images = $api->uploadImage($id, $picture, content_type: 'image/jpeg', name: 'rose.jpg')['images'];
report('pictures', (string) count($images));
report('spreadsheet has it', str_contains($api->exportProducts(sku: $sku), $sku));

$wrong = refused(fn () => $api->createProduct(['base_price' => '0.5', 'unit' => 'bouquet'] + $rose));
report('wrong data', name($wrong) . ' ' . implode(', ', array_column($wrong->details, 'field')));
$missing = refused(fn () => $api->readProduct(999999999));
report('missing', name($missing) . " $missing->status, named to the log: " . json_encode($missing->requestId !== ''));
report('wrong key', name(refused(fn () => (new SupplierApi($url, 'sk_wrong'))->me())));
$api->request('GET', '/products', ['statuss' => 'active']);
report('warned', implode(', ', $warnings));
foreach ([$id, $ids[1], $ids[2]] as $one) {
    $api->deleteProduct($one);
}

$at = fn (string $scenario, mixed ...$options) => new SupplierApi("$stub/$scenario", $key, ...$options);
$seen = fn (string $scenario) => $at($scenario)->request('GET', '/seen')->data;
$busy = $at('busy')->updateStock(['items' => []]);
report('busy', "$busy[updated] requests, $busy[failed] key");
$invalid = refused(fn () => $at('invalid')->updateStock(['items' => []]));
report('invalid', name($invalid) . " after {$seen('invalid')['updated']} request");
$limited = refused(fn () => $at('limited', attempts: 2)->me());
report('limited', name($limited) . " after {$seen('limited')['updated']} requests");
$limited = refused(fn () => $at('limited')->me());
report('limited with five attempts', name($limited) . " after {$seen('limited')['updated']} requests");
$hour = refused(fn () => $at('hour')->me());
report('limited for an hour', name($hour) . ", $hour->retryAfter s, after {$seen('hour')['updated']} request");
$file = refused(fn () => $at('file')->uploadImage(1, 'bytes'));
report('file', name($file) . " after {$seen('file')['updated']} requests, {$seen('file')['failed']} keys");
$kept = $at('broken'); // whose connection is there already
$kept->request('GET', '/seen');
$broken = refused(fn () => $kept->uploadImage(1, 'bytes'));
report('file without an answer', name($broken) . " after {$seen('broken')['updated']} request");
$proxy = refused(fn () => $at('proxy')->me());
report('behind a proxy', name($proxy) . " $proxy->status $proxy->errorCode");
$redirected = refused(fn () => $at('redirect')->me());
report('redirected', name($redirected) . " $redirected->status");
report('nobody listens', name(refused(fn () => (new SupplierApi('http://127.0.0.1:1', $key, 1))->me())));

$secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwSw';
$body = '{"type":"stock.changed","timestamp":"2026-11-28T08:00:00Z","data":{"change_seq":7,"object":"product","all":false,"ids":[1]}}';
$now = 1614265330;
$signature = base64_encode(hash_hmac('sha256', "msg_1.$now.$body", base64_decode(substr($secret, 6)), true));
$headers = ['Webhook-Id' => 'msg_1', 'Webhook-Timestamp' => (string) $now, 'Webhook-Signature' => "v1,AAAA v1,$signature"];
report('webhook', WebhookSignature::verify($secret, $headers, $body, $now + 1)['type']);
report('webhook with another body', name(refused(fn () => WebhookSignature::verify($secret, $headers, "$body ", $now))));
report('webhook of yesterday', name(refused(fn () => WebhookSignature::verify($secret, $headers, $body, $now + 86400))));
