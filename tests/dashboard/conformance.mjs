export default async function people({ operator, expect, supplierId }) {
    const invite = email => operator('inviteUser', { body: { email, name: null, supplier_id: supplierId, role: 'owner', scopes: null } });
    const path = { id: (await expect(201, invite('owner@rozenhof.example'))).data.user.id };
    const staff = { id: (await expect(201, invite('staff@rozenhof.example'))).data.user.id };
    await expect(200, operator('listUsers', { query: { supplier_id: supplierId, per_page: 1 } }));
    await expect(200, operator('updateUser', { path: staff, body: { role: 'staff', scopes: ['orders:read'] } }));
    await expect(201, operator('linkUser', { path }));
    await expect(200, operator('removeSecondFactor', { path: staff }));
    await expect(200, operator('disableUser', { path: staff }));
    await expect(200, operator('enableUser', { path: staff }));
}
