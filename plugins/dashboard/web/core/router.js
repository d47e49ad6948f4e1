// The address behind '#': "#/products/7?search=rose". What a list shows is in there, so that it can be linked, reloaded
// and gone back to.
import { useState, useEffect } from "preact/hooks";

function read() {
    const [path, query = ""] = location.hash.replace(/^#/, "").split("?");
    return { path: path || "/", parts: path.split("/").filter(Boolean), query: Object.fromEntries(new URLSearchParams(query)) };
}

export function useRoute() {
    const [route, setRoute] = useState(read);
    useEffect(() => {
        const changed = () => setRoute(read());
        addEventListener("hashchange", changed);
        changed(); // what changed since the first look
        return () => removeEventListener("hashchange", changed);
    }, []);
    return route;
}

export const go = (path) => (location.hash = path);

/// Changes parts of the query; a filter leads back to the first page.
export function setQuery(changes, { keepsPage = false } = {}) {
    const { path, query } = read();
    const next = { ...query, ...(keepsPage ? {} : { page: undefined }), ...changes };
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(next))
        if (value !== undefined && value !== null && value !== "") parameters.set(name, value);
    const text = parameters.toString();
    history.replaceState(null, "", `#${path}${text ? `?${text}` : ""}`);
    dispatchEvent(new HashChangeEvent("hashchange"));
}
