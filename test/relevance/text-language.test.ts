import { describe, expect, test } from "vitest";
import { languageOf } from "../../src/relevance/words/text-language.ts";
import { readLanguageSet } from "../support/language-sets.ts";

describe("the language of a text", () => {
  test.each([
    ["german", "Der Vertrag mit dem Lieferanten läuft Ende März aus, wir müssen vorher kündigen."],
    ["english", "The contract with the supplier ends in March, we have to give notice before."],
    ["french", "Le contrat avec le fournisseur se termine fin mars, il faut le résilier avant."],
    ["spanish", "El contrato con el proveedor termina a finales de marzo, hay que cancelarlo antes."],
    ["italian", "Il contratto con il fornitore scade a fine marzo, dobbiamo disdirlo prima."],
    ["portuguese", "O contrato com o fornecedor termina no fim de março, temos de o cancelar antes."],
    ["dutch", "Het contract met de leverancier loopt eind maart af, we moeten eerst opzeggen."],
    ["swedish", "Avtalet med leverantören går ut i slutet av mars, vi måste säga upp det innan."],
    ["russian", "Договор с поставщиком заканчивается в конце марта, его нужно расторгнуть раньше."],
    ["arabic", "ينتهي العقد مع المورد في نهاية شهر مارس ويجب علينا إلغاؤه قبل ذلك."],
    ["turkish", "Tedarikçiyle olan sözleşme mart sonunda bitiyor, önceden feshetmemiz gerekiyor."],
    ["greek", "Η σύμβαση με τον προμηθευτή λήγει στο τέλος Μαρτίου και πρέπει να την ακυρώσουμε."],
    // Postgres has no stemmer for Polish, and an English stemmer would mistake the ends of Polish
    // words for English ones.
    ["simple", "Umowa z dostawcą kończy się pod koniec marca, musimy ją wcześniej wypowiedzieć."],
    // Such texts are found by pairs of characters; their Latin words are mostly English.
    ["english", "契約は三月末に終わるので、その前にKubernetesのdeployを確認する。"],
  ])("%s: %s", (language, text) => {
    expect(languageOf(text, [])).toBe(language);
    expect(languageOf(text, ["german", "english"])).toBe(language);
  });

  test("a short text is in a language that is there, unless it is clearly in another", () => {
    expect(languageOf("ok danke", ["german", "english"])).toBe("german");
    expect(languageOf("Einkauf: Milch, Brot, Käse", ["german"])).toBe("german");
    expect(languageOf("la réunion est à 15h", ["german", "english"])).toBe("french");
    expect(languageOf("Zahnarzt Dienstag 14 Uhr", [])).toBe("german");
  });

  test("a text that says nothing is in the language of those around it", () => {
    for (const text of ["", "1234", "— … !", "https://x.io/1?q=2"]) {
      expect(languageOf(text, ["russian", "english"])).not.toBe("simple");
      expect(["russian", "english"]).toContain(languageOf(text, ["russian", "english"]));
    }
    expect(languageOf("", ["russian", "english"])).toBe("russian");
    expect(languageOf("", [])).toBe("english");
  });

  test("two hundred German notes are German", () => {
    const notes = readLanguageSet("de").passages.map(({ title, text }) => `${title ?? ""}\n${text}`);
    expect(notes.filter((note) => languageOf(note, []) !== "german")).toEqual([]);
  });

  test("what stands in the middle counts as what stands at the beginning", () => {
    const table = `| id | qty |\n${"| A-12 | 4 |\n".repeat(30)}`;
    expect(languageOf(`${table}${"Die Bestellung wurde am Montag geliefert und geprüft. ".repeat(8)}`, [])).toBe(
      "german",
    );
  });
});
