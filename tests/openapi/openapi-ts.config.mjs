// Clients by hey-api of both documents, which check what they send and get with zod.
const client = api => ({
    input: `./documents/${api}.json`,
    output: { path: `./generated/zod/${api}`, importFileExtension: '.js' },
    logs: { level: 'error' },
    plugins: ['@hey-api/client-fetch', { name: 'zod', compatibilityVersion: 3 }, { name: '@hey-api/sdk', validator: true }],
});

export default [client('supplier'), client('platform')];
