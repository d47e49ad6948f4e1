import base64
import hashlib
import hmac
import os
import uuid
from pathlib import Path
from typing import Any, Callable

import supplierd_client as client
from supplierd_client import SupplierApi, verify_webhook

url, key, stub = os.environ["URL"], os.environ["KEY"], os.environ["STUB"]
warnings: list[str] = []
api = SupplierApi(url, key, on_warning=lambda warning: warnings.append(warning["message"]))


def refused(call: Callable[[], Any]) -> Any:
    try:
        call()
    except (client.ApiError, client.NoAnswerError, client.SignatureError) as error:
        return error
    raise AssertionError("this was not refused")


def name(error: Exception) -> str:
    return type(error).__name__


print("key of a supplier:", str(api.me()["supplier"]["name"] != "").lower())
rose: Any = {"name": "Client test", "category_id": api.list_categories()["categories"][0]["id"], "base_price": 0.485, "unit": "stem"}

ids = [api.create_product(rose)["product"]["id"] for _ in range(3)]
walked = {product["id"] for product in api.iterate_products(per_page=2)}
print("walked by pages of two:", str(walked.issuperset(ids)).lower())

idempotency_key = str(uuid.uuid4())
sku = f"PY-{idempotency_key[:8]}"
first = api.create_product({**rose, "sku": sku}, idempotency_key=idempotency_key)
second = api.create_product({**rose, "sku": sku}, idempotency_key=idempotency_key)
id = first["product"]["id"]
print("created once under one key:", str(id == second["product"]["id"]).lower())
print("other body under the same key:", name(refused(lambda: api.create_product(rose, idempotency_key=idempotency_key))))

after = 0
for page in api.changed_products(0):
    after = page["pagination"]["last_change_seq"]
stock = api.update_stock({"items": [{"sku": sku, "stock_qty": 7}, {"sku": "nobody's", "stock_qty": 1}]})
print(f"stock: {stock['updated']} updated, {stock['failed']} failed, {stock['errors'][0]['code']}")
api.delete_product(ids[0])
changes = []
for page in api.changed_products(after, per_page=1):
    for product in page["products"]:
        if product["id"] == id and product["stock_qty"] == 7:
            changes.append("the new stock")
        if product["id"] == ids[0] and product.get("deleted_at"):
            changes.append("a deletion")
print("changes:", ", ".join(changes))

tag = api.request("GET", f"/products/{id}").headers["ETag"]
print("updated while the tag fits:", api.update_product(id, {"name": "Client test 2"}, if_match=tag)["product"]["name"])
stale = refused(lambda: api.update_product(id, {"name": "Client test 3"}, if_match=tag))
print(f"then: {name(stale)} {stale.status}")
tag = api.request("GET", f"/products/{id}").headers["ETag"]
print("read again:", api.request("GET", f"/products/{id}", headers={"If-None-Match": tag}).status)

images = api.upload_image(id, Path(os.environ["PICTURE"]).read_bytes(), content_type="image/jpeg", name="rose.jpg")["images"]
print("pictures:", len(images))
print("spreadsheet has it:", str(sku in api.export_products(sku=sku)).lower())

wrong = refused(lambda: api.create_product({**rose, "base_price": "0.5", "unit": "bouquet"}))
print(f"wrong data: {name(wrong)} {', '.join(detail['field'] for detail in wrong.details)}")
missing = refused(lambda: api.read_product(999999999))
print(f"missing: {name(missing)} {missing.status}, named to the log: {str(missing.request_id != '').lower()}")
print("wrong key:", name(refused(lambda: SupplierApi(url, "sk_wrong").me())))
api.request("GET", "/products", query={"statuss": "active"})
print("warned:", ", ".join(warnings))
for one in [id, *ids[1:]]:
    api.delete_product(one)


def at(scenario: str, **options: Any) -> SupplierApi:
    return SupplierApi(f"{stub}/{scenario}", key, **options)


def seen(scenario: str) -> Any:
    return at(scenario).request("GET", "/seen").data


busy = at("busy").update_stock({"items": []})
print(f"busy: {busy['updated']} requests, {busy['failed']} key")
invalid = refused(lambda: at("invalid").update_stock({"items": []}))
print(f"invalid: {name(invalid)} after {seen('invalid')['updated']} request")
limited = refused(lambda: at("limited", attempts=2).me())
print(f"limited: {name(limited)} after {seen('limited')['updated']} requests")
limited = refused(lambda: at("limited").me())
print(f"limited with five attempts: {name(limited)} after {seen('limited')['updated']} requests")
hour = refused(lambda: at("hour").me())
print(f"limited for an hour: {name(hour)}, {hour.retry_after:.0f} s, after {seen('hour')['updated']} request")
file = refused(lambda: at("file").upload_image(1, b"bytes"))
print(f"file: {name(file)} after {seen('file')['updated']} requests, {seen('file')['failed']} keys")
kept = at("broken")  # whose connection is there already
kept.request("GET", "/seen")
broken = refused(lambda: kept.upload_image(1, b"bytes"))
print(f"file without an answer: {name(broken)} after {seen('broken')['updated']} request")
proxy = refused(lambda: at("proxy").me())
print(f"behind a proxy: {name(proxy)} {proxy.status} {proxy.code}")
redirected = refused(lambda: at("redirect").me())
print(f"redirected: {name(redirected)} {redirected.status}")
print("nobody listens:", name(refused(lambda: SupplierApi("http://127.0.0.1:1", key, attempts=1).me())))

secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwSw"
body = b'{"type":"stock.changed","timestamp":"2026-11-28T08:00:00Z","data":{"change_seq":7,"object":"product","all":false,"ids":[1]}}'
now = 1614265330
digest = hmac.new(base64.b64decode(secret[6:]), b"msg_1.%d." % now + body, hashlib.sha256).digest()
headers = {"Webhook-Id": "msg_1", "Webhook-Timestamp": str(now), "Webhook-Signature": "v1,AAAA v1," + base64.b64encode(digest).decode()}
print("webhook:", verify_webhook(secret, headers, body, now + 1)["type"])
print("webhook with another body:", name(refused(lambda: verify_webhook(secret, headers, body + b" ", now))))
print("webhook of yesterday:", name(refused(lambda: verify_webhook(secret, headers, body, now + 86400))))
