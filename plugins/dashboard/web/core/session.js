// What whoever is signed in may do. The API judges for itself: this only keeps away what it would refuse.

/// A scope as keys have them, "products:write".
export const may = (session, scope) => !scope || !session.user.scopes || session.user.scopes.includes(scope);

/// Looks after keys, people and the profile of the store.
export const isOwner = (session) => !session.user.is_staff;
