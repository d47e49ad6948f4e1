import assert from 'node:assert/strict';

export default async function media({ operator, expect }) {
    const { files, store_id: store } = (await expect(200, operator('listMediaFiles'))).data;
    assert.notEqual(store, '');
    const [a, b, name] = files[0].key.split('/');
    await expect(200, operator('readStoredFile', { path: { a, b, name } }));
    await expect(200, operator('listMediaFiles', { query: { after: files[0].key } }));
    await expect(200, operator('holdMediaRemovals', { body: { token: 'abc123', seconds: 60 } }));
    await expect(200, operator('endMediaHold', { path: { token: 'abc123' } }));
    await expect(202, operator('verifyMedia', { body: { repair: true } }));
    await expect(202, operator('moveMedia', { body: { to: 'folder' } }));
}
