/** The keys of components, of `^[a-zA-Z0-9.\\-_]+$`; the typed client and the decoders have the same names, so that they are identifiers
 *  too. */
// Source: OpenAPI 3.1, Components Object.

/** The name of a type as a key: letters with marks lose these, a dollar is an underscore, others are their code points. */
export const componentKey = (name: string): string =>
  /^\w+$/.test(name)
    ? name
    : name
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .replaceAll('$', '_')
        .replace(/[^\w]/gu, (letter) => `U${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase()}`)
