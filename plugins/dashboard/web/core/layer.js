import { render } from "./html.js";

/// A place above the page for what belongs to no page of it. What it gives shows an element there, or nothing for null.
export function layer() {
    const place = document.createElement("div");
    return (element) => {
        if (!place.isConnected) document.body.append(place);
        render(element, place);
    };
}
