import { html, useState, useEffect, useRef } from "../core/html.js";
import { t, number } from "../core/text.js";
import { post, SUPPLIER } from "../core/api.js";
import { Form, Field, Action, Trouble } from "../core/ui.js";
import { ACCEPTED, upload, takeWaiting } from "./picture-file.js";

const MOST = 10;

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
        for (const problem of answer.errors ?? []) tell(`${problem.url}: ${problem.error}`);
        onChange(answer.images);
    };
    const act = (image, what) => async () => onChange((await post(`${SUPPLIER}/products/${id}/images/${image.id}/${what}`)).images);

    return html`<section><h2>${t("pictures")}</h2>
        ${images.length
            ? html`<ul class="pictures">${images.map((image, i) => html`<li key=${image.id}>
                  <a href=${image.url} target="_blank" rel="noopener"><img src=${image.thumbnail_url} alt=${t("picture_number", { number: i + 1 })} loading="lazy" /></a>
                  <div class="buttons">${image.is_primary
                      ? html`<span class="state good">${t("primary")}</span>`
                      : mayWrite ? html`<${Action} class="secondary small" run=${act(image, "primary")}>${t("make_primary")}</${Action}>` : null}
                      ${mayWrite ? html`<${Action} class="secondary small" aria-label=${t("delete_picture", { number: i + 1 })} run=${act(image, "delete")} confirm=${{ title: t("delete"), text: t("delete_picture_text"), yes: t("delete"), isDangerous: true }}>${t("delete")}</${Action}>` : null}</div>
              </li>`)}</ul>`
            : mayWrite ? null : html`<p>${t("no_pictures")}</p>`}
        ${problems.map((message) => html`<${Trouble} failure=${{ message }} />`)}
        ${mayWrite && images.length < MOST
            ? html`<${DropZone} onFiles=${send} sending=${sending} />
                  <details><summary>${t("pictures_by_address")}</summary>
                      <${Form} submit=${addByAddress} label=${t("add_pictures")} className="inline" reset>${(problem) => html`<${Field} label=${t("image_urls")} name="image_url" of=${problem} placeholder="https://" help=${t("image_urls_help")} required />`}</${Form}>
                  </details>`
            : null}
        ${mayWrite && images.length >= MOST ? html`<small>${t("pictures_full", { number: MOST })}</small>` : null}
    </section>`;
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
        <span><strong>${t("choose_pictures")}</strong> ${t("or_drop_pictures")}</span>
        <small>${t("pictures_help")}</small>
        <span role="status" aria-busy=${sending ? "true" : null}>${sending ? t("sending_picture", { name: sending.name, number: number(sending.number), all: number(sending.all) }) : ""}</span>
    </label>`;
}
