import { html, useState, useEffect, useRef } from "../core/html.js";
import { t, number } from "../core/text.js";
import { get, post, problemOf, SUPPLIER } from "../core/api.js";
import { Form, Field, Action, Trouble, CODE, toast } from "../core/ui.js";
import { ACCEPTED, upload, takeWaiting } from "./picture-file.js";

const MOST = 10;
const DRAG_BEGINS = 6; // px: less is a click

/// The main picture is the first, wherever a program has put it.
const inOrder = (images) => [...images].sort((one, other) => other.is_primary - one.is_primary);

function moved(images, id, to) {
    const others = images.filter((image) => image.id !== id);
    return [...others.slice(0, to), images.find((image) => image.id === id), ...others.slice(to)];
}

/// `onChange` is called with the pictures that there are now.
export function Pictures({ id, images, onChange, mayWrite = true }) {
    const [problems, setProblems] = useState([]);
    const [sending, setSending] = useState(null); // { name, number, all }
    const queue = useRef([]);
    const isSending = useRef(false);
    const tell = (what) => setProblems((old) => [...old, what]);

    const send = async (files) => {
        if (files.length === 0) return;
        setProblems([]);
        queue.current.push(...files);
        if (isSending.current) return;
        isSending.current = true;
        for (let count = 1; queue.current.length; ++count) {
            const file = queue.current.shift();
            setSending({ name: file.name, number: count, all: count + queue.current.length });
            try {
                onChange(await upload(id, file));
            } catch (failure) {
                tell(`${file.name}: ${failure.details?.[0]?.message ?? failure.message}`);
                // What the whole product or server cannot take would be said of each of them.
                if (failure.details?.some((detail) => detail.code === "too_many") || !failure.details?.length) queue.current = [];
            }
        }
        isSending.current = false;
        setSending(null);
    };
    useEffect(() => {
        send(takeWaiting(id));
    }, [id]);

    const addByAddress = async (values) => {
        setProblems([]);
        const url = values.image_url.split(/\s+|;/).filter(Boolean).join(";");
        const answer = await post(`${SUPPLIER}/products/${id}/images`, { image_url: url });
        for (const { url, code, error } of answer.errors ?? []) tell(`${url}: ${problemOf({ field: "image_url", code, message: error })}`);
        onChange(answer.images);
    };
    // One after the other, so that the last order is the one that stays.
    const saving = useRef(Promise.resolve());
    const save = async (ordered) => {
        const base = `${SUPPLIER}/products/${id}/images`;
        try {
            const answer = await post(`${base}/order`, { image_ids: ordered.map((image) => image.id) });
            if (!answer.images[0].is_primary) await post(`${base}/${ordered[0].id}/primary`);
        } catch (failure) {
            toast(failure.status === 404 || failure.status === 422 ? t("pictures_changed") : failure.message, "bad");
            onChange(await get(base).then((answer) => answer.images, () => images));
        }
    };
    const place = (ordered) => {
        onChange(ordered.map((image, i) => ({ ...image, is_primary: i === 0 })));
        saving.current = saving.current.then(() => save(ordered));
        return saving.current;
    };
    const remove = (image) => async () => {
        await saving.current;
        onChange((await post(`${SUPPLIER}/products/${id}/images/${image.id}/delete`)).images);
    };

    return html`<section><h2>${t("pictures")}</h2>
        ${images.length
            ? html`<${Ordered} images=${inOrder(images)} place=${place} remove=${remove} mayWrite=${mayWrite} />`
            : mayWrite ? null : html`<p>${t("no_pictures")}</p>`}
        ${problems.map((message) => html`<${Trouble} failure=${{ message }} />`)}
        ${mayWrite && images.length < MOST
            ? html`<${DropZone} onFiles=${send} sending=${sending} />
                  <details><summary>${t("pictures_by_address")}</summary>
                      <${Form} submit=${addByAddress} label=${t("add_pictures")} className="inline" reset>${(problem) => html`<${Field} label=${t("image_urls")} name="image_url" of=${problem} inputmode="url" ...${CODE} placeholder="https://" help=${t("image_urls_help")} required />`}</${Form}>
                  </details>`
            : null}
        ${mayWrite && images.length >= MOST ? html`<small>${t("pictures_full", { number: MOST })}</small>` : null}
    </section>`;
}

/// Moved by dragging, or by the buttons on them.
function Ordered({ images, place, remove, mayWrite }) {
    const list = useRef();
    const drag = useRef(null); // { id, x, y, isMoving }
    const [dragged, setDragged] = useState(null); // what the list looks like meanwhile
    const [said, setSaid] = useState("");
    const focus = useRef(null); // [id, step] of the button that was pressed: its picture takes it along
    const shown = dragged ?? images;
    const mayMove = mayWrite && images.length > 1;
    useEffect(() => {
        if (!focus.current) return;
        const [id, step] = focus.current;
        focus.current = null;
        const picture = list.current.querySelector(`[data-picture="${id}"]`);
        (picture?.querySelector(`[data-step="${step}"]`) ?? picture?.querySelector("[data-step]"))?.focus();
    });
    const move = (image, to, step) => {
        focus.current = step ? [image.id, step] : null;
        setSaid(t("picture_moved", { number: to + 1, all: shown.length }));
        return place(moved(images, image.id, to));
    };
    const begin = (image) => (event) => {
        const isHeld = event.target.closest(".grip") ?? (event.pointerType !== "touch" && !event.target.closest("button"));
        if (mayMove && event.button === 0 && isHeld) drag.current = { id: image.id, x: event.clientX, y: event.clientY };
    };
    const pull = (event) => {
        const at = drag.current;
        if (!at) return;
        if (!at.isMoving) {
            if (Math.hypot(event.clientX - at.x, event.clientY - at.y) < DRAG_BEGINS) return;
            at.isMoving = true;
            list.current.setPointerCapture(event.pointerId);
        }
        const isInside = ({ left, right, top, bottom }) => event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
        const to = [...list.current.children].findIndex((one) => isInside(one.getBoundingClientRect()));
        setDragged(to < 0 ? shown : moved(shown, at.id, to));
    };
    const end = (event) => {
        const at = drag.current;
        if (event.type === "pointerup" && at?.isMoving) {
            const to = shown.findIndex((image) => image.id === at.id);
            if (images[to].id !== at.id) move(shown[to], to);
            setTimeout(() => (drag.current = null)); // behind the click, which opens nothing
        } else drag.current = null;
        setDragged(null);
    };
    const noClick = (event) => drag.current?.isMoving && event.preventDefault();
    const arrow = (image, i, step, text, sign) => (i + step < 0 || i + step >= shown.length ? null
        : html`<button type="button" class="secondary small" data-step=${step} aria-label=${t(text, { number: i + 1 })} onClick=${() => move(image, i + step, step)}>${sign}</button>`);
    return html`${mayMove ? html`<p><small>${t("pictures_order")}</small></p>` : null}
        <ul class="pictures ${mayMove ? "movable" : ""}" ref=${list} onPointerMove=${pull} onPointerUp=${end} onPointerCancel=${end} onClickCapture=${noClick}>${shown.map((image, i) => html`<li key=${image.id} data-picture=${image.id} class=${dragged && drag.current?.id === image.id ? "dragged" : ""} onPointerDown=${begin(image)}>
            <a href=${image.url} target="_blank" rel="noopener" draggable=${false}><img src=${image.thumbnail_url} alt=${t("picture_number", { number: i + 1 })} loading="lazy" draggable=${false} /></a>
            ${mayMove ? html`<div class="arrows">${arrow(image, i, -1, "picture_left", "←")}<span class="grip" aria-hidden="true">⠿</span>${arrow(image, i, 1, "picture_right", "→")}</div>` : null}
            <div class="buttons">${i === 0
                ? html`<span class="state good">${t("primary")}</span>`
                : mayWrite ? html`<${Action} class="secondary small" run=${() => move(image, 0)}>${t("make_primary")}</${Action}>` : null}
                ${mayWrite ? html`<${Action} class="secondary small" aria-label=${t("delete_picture", { number: i + 1 })} run=${remove(image)} confirm=${{ title: t("delete"), text: t("delete_picture_text"), yes: t("delete"), isDangerous: true }}>${t("delete")}</${Action}>` : null}</div>
        </li>`)}</ul>
        <p class="unseen" role="status">${said}</p>`;
}

/// Files are dropped on it, or chosen by it.
function DropZone({ onFiles, sending }) {
    const [isOver, setOver] = useState(false);
    const hold = (event) => {
        if (![...event.dataTransfer.types].includes("Files")) return;
        event.preventDefault();
        setOver(event.type !== "dragleave");
    };
    const drop = (event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
    };
    const choose = (event) => {
        onFiles([...event.target.files]);
        event.target.value = ""; // the same file can be chosen again
    };
    return html`<label class="drop ${isOver ? "over" : ""}" onDragEnter=${hold} onDragOver=${hold} onDragLeave=${hold} onDrop=${drop}>
        <input type="file" class="unseen" multiple accept=${ACCEPTED} onChange=${choose} />
        <span><strong>${t("choose_pictures")}</strong> <span class="by-mouse">${t("or_drop_pictures")}</span></span>
        <small>${t("pictures_help")}</small>
        <span role="status" aria-busy=${sending ? "true" : null}>${sending ? t("sending_picture", { name: sending.name, number: number(sending.number), all: number(sending.all) }) : ""}</span>
    </label>`;
}
