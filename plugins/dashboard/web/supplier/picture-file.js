// Pictures from the reader's own computer, on their way to the server.
import { post, Failure, SUPPLIER } from "../core/api.js";
import { t } from "../core/text.js";

export const ACCEPTED = "image/jpeg,image/png,image/webp";
const MAX_BYTES = 5 * 1024 * 1024; // as the API
const LONGEST_SIDE = 3000;
const PATIENCE = 180_000; // phones send slowly

/// Photos have more bytes than the server takes: those are made smaller here. What the browser cannot read either goes as
/// it is, and the server says what is wrong with it.
async function fitting(file) {
    if (file.size <= MAX_BYTES) return file;
    const picture = await createImageBitmap(file).catch(() => null);
    if (!picture) return file;
    const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(picture.width * scale), height: Math.round(picture.height * scale) });
    const paper = canvas.getContext("2d");
    paper.fillStyle = "#fff"; // JPEG has nothing that one can see through
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    return (await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.9))) ?? file;
}

/// All pictures that the product has then. The server finds out by itself what kind of file it is. Throws Failure.
export async function upload(productId, file) {
    const picture = await fitting(file);
    if (picture.size > MAX_BYTES) throw new Failure(t("picture_too_large"));
    const { images } = await post(`${SUPPLIER}/products/${productId}/images/upload?name=${encodeURIComponent(file.name || "?")}`, new Blob([picture]), { patience: PATIENCE });
    return images;
}

// Files that were chosen before there was a product for them: its page sends them.
const waiting = new Map();

export const uploadLater = (productId, files) => waiting.set(String(productId), files);

export function takeWaiting(productId) {
    const files = waiting.get(String(productId)) ?? [];
    waiting.delete(String(productId));
    return files;
}
