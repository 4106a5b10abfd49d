/** Where the typed client lies, if there is one. */
export const clientPath = 'generated/client.ts'
