// Usage: run.js [PART-OF-A-NAME]: every test in a browser of its own, one line each.
import { begin, end, screenshot, takeTroubles } from "./browser.js";
import accounts from "./accounts.js";
import frame from "./frame.js";
import operators from "./operators.js";
import suppliers from "./suppliers.js";
import troubles from "./troubles.js";
import pages from "./pages.js";
import measures from "./measures.js";

const filter = process.argv[2] ?? "";
const tests = Object.entries({ ...accounts, ...suppliers, ...operators, ...troubles, ...frame, ...pages, ...measures }).filter(([name]) => name.includes(filter));
let failed = 0;
await begin();
for (const [name, test] of tests) {
    const began = Date.now();
    let problem = null;
    const opened = [];
    try {
        await test((page) => (opened.push(page), page));
    } catch (error) {
        problem = error;
    }
    const found = takeTroubles();
    if (found.length) problem = new Error([problem?.stack, ...found].filter(Boolean).join("\n"));
    if (problem) for (const [i, page] of opened.entries()) await screenshot(page, `failed-${name}-${i + 1}`).catch(() => {});
    for (const page of opened) await page.context().close().catch(() => {});
    takeTroubles(); // of pages that were closed while they asked
    console.log(`${name} ... ${problem ? "FAILED" : "ok"} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    if (problem) console.log(`    ${String(problem.stack ?? problem).replaceAll("\n", "\n    ")}`);
    failed += problem ? 1 : 0;
}
await end();
console.log(`${tests.length} tests, ${failed} failed`);
process.exit(tests.length > 0 && failed === 0 ? 0 : 1);
