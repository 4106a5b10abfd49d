/** A part of the document before it is printed: its fields by name. */
export type Json = Readonly<Record<string, unknown>>
