// A page of another plugin's: an ES module on this server, whose default export is given what our own pages use.
import * as libraries from "./html.js";
import * as texts from "./text.js";
import * as api from "./api.js";
import * as ui from "./ui.js";
import { Changed } from "./changed.js";
import { Chart } from "./chart.js";
import { areMeant } from "./prices-question.js";
import { go, setQuery } from "./router.js";
import { Samples } from "./samples.js";
import { may } from "./session.js";
import { switchTestMode } from "./test-mode.js";

const { html, useState, useEffect } = libraries;
const { t } = texts;

export function AddedPage({ id, session, rest, query }) {
    const [Page, setPage] = useState(null);
    const [failure, setFailure] = useState(null);
    const about = session.pages.find((page) => page.id === id);
    const load = async () => {
        setFailure(null);
        try {
            const module = await import(about.script);
            const made = module.default({ ...libraries, ...texts, ...api, ...ui, Chart, Changed, areMeant, go, setQuery, may, switchTestMode, Samples });
            setPage(() => made);
        } catch (problem) {
            setFailure(new api.Failure(`${t("error.page")} ${problem.message}`));
        }
    };
    useEffect(() => {
        if (about) load();
    }, [about?.script]);
    if (!about) return html`<${ui.Heading} title=${t("no_such_page")} />`;
    const title = about.titles[texts.language] ?? about.titles.en;
    if (failure) return html`<${ui.Heading} title=${title} /><${ui.Trouble} failure=${failure} retry=${load} />`;
    if (!Page) return html`<p class="loading" aria-busy="true">${t("loading")}</p>`;
    return html`<${Page} title=${title} session=${session} rest=${rest} query=${query} />`;
}
