// What both clients' days have in common.
declare const process: { env: Record<string, string | undefined> };

function given(name: string): string {
    const value = process.env[name];
    if (value === undefined) throw new Error(`${name} is not in the environment`);
    return value;
}

export const root = given('URL');
export const operatorKey = given('OPERATOR_KEY');

// A product as a supplier sends it, with every field that can get lost.
export const product = {
    name: 'Red Naomi 💐',
    base_price: 0.0851,
    unit: 'stem' as const,
    type: 'flower' as const,
    sku: 'RN-60',
    description: 'Large flowers.',
    stock_qty: 500,
    min_order_qty: 10,
    color: 'red',
    stem_length: 60,
    country_of_origin: 'NL',
    vat_rate: 9,
};

// The value, or an Error that says where it was missing.
export function there<Value>(value: Value | null | undefined, what: string): Value {
    if (value === null || value === undefined) throw new Error(`${what} is missing`);
    return value;
}

export function same(expected: unknown, found: unknown, what: string): void {
    const [left, right] = [expected, found].map(value => JSON.stringify(sorted(value)));
    if (left !== right) throw new Error(`${what}:\n expected ${left}\n found    ${right}`);
}

// Each of the fields has the value that it has there.
export function contains(expected: object, found: object, what: string): void {
    for (const [name, value] of Object.entries(expected))
        same(value, (found as Record<string, unknown>)[name], `${what}: ${name}`);
}

// Members in one order, and whole numbers as numbers, whichever type a client reads them into.
export function sorted(value: unknown): unknown {
    if (typeof value === 'bigint') return Number(value);
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]));
}
