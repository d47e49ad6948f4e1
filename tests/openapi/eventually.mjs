import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

// What is done behind an answer: asked for until it is there.
export async function eventually(what, ask) {
    for (let i = 0; i < 600; ++i) {
        const found = await ask();
        if (found) return found;
        await pause(50);
    }
    assert.fail(`${what} did not come`);
}
