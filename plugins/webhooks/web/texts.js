// What the page says, in the languages of the dashboard.
export const TEXTS = {
    en: {
        intro: "Your own server is told what changes, signed and in order, instead of asking for it.",
        new: "New webhook", address: "Address", address_help: "https://, at a public address", note: "Note", events: "Events",
        body: "Body", thin: "Thin: numbers", full: "Full: the object", state: "State", waiting: "Waiting", last: "Last taken",
        none: "There are no webhooks yet.", on: "On", off: "Off", failing: "Failing", register: "Register", made: "The secret",
        made_text: "Deliveries are signed with it. It is shown this once: store it now.", kept: "I have stored it",
        test: "Send a test", tested: "A test is on its way", turn_on: "Switch on", turn_off: "Switch off", change: "Change",
        rotate: "New secret", rotate_text: "For a while deliveries are signed with both, the old secret and the new one.",
        remove: "Delete", remove_text: "It is told nothing any more, and its deliveries are forgotten.",
        deliveries: "Deliveries", back: "Webhooks", event: "Event", when: "When", answer: "Answer", attempts: "Attempts",
        no_deliveries: "Nothing was sent yet.", again: "Send again", sent_again: "It is sent again", look: "Look", all: "All",
        waiting_state: "waiting", delivered_state: "delivered", failed_state: "failed", request: "Request", took: "{ms} ms",
        next: "Next attempt", catch_up: "Send all since", since: "Number of the last change that you have",
        caught_up: "{count} deliveries are sent", saved: "Saved",
    },
    nl: {
        intro: "Uw eigen server hoort wat er verandert, ondertekend en op volgorde, in plaats van erom te vragen.",
        new: "Nieuwe webhook", address: "Adres", address_help: "https://, op een openbaar adres", note: "Notitie",
        events: "Gebeurtenissen", body: "Inhoud", thin: "Kort: nummers", full: "Volledig: het object", state: "Status",
        waiting: "Wachtend", last: "Laatst aangenomen", none: "Er zijn nog geen webhooks.", on: "Aan", off: "Uit",
        failing: "Mislukt", register: "Aanmelden", made: "Het geheim",
        made_text: "Berichten worden ermee ondertekend. U ziet het alleen nu: bewaar het meteen.", kept: "Ik heb het bewaard",
        test: "Test sturen", tested: "Er is een test onderweg", turn_on: "Aanzetten", turn_off: "Uitzetten", change: "Wijzigen",
        rotate: "Nieuw geheim", rotate_text: "Een tijdlang worden berichten met beide ondertekend, het oude en het nieuwe geheim.",
        remove: "Verwijderen", remove_text: "Er wordt niets meer gemeld, en de berichten worden vergeten.",
        deliveries: "Berichten", back: "Webhooks", event: "Gebeurtenis", when: "Wanneer", answer: "Antwoord",
        attempts: "Pogingen", no_deliveries: "Er is nog niets verstuurd.", again: "Opnieuw sturen",
        sent_again: "Het wordt opnieuw gestuurd", look: "Bekijken", all: "Alle", waiting_state: "wachtend",
        delivered_state: "aangenomen", failed_state: "mislukt", request: "Verzoek", took: "{ms} ms",
        next: "Volgende poging", catch_up: "Alles sturen sinds", since: "Nummer van de laatste wijziging die u hebt",
        caught_up: "{count} berichten worden gestuurd", saved: "Opgeslagen",
    },
};

export const EVENTS = ["product.created", "product.updated", "product.deleted", "product.approved", "product.rejected",
    "stock.changed", "price.changed", "image.changed", "order.created", "order.updated", "key.revoked"];
