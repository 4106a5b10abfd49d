/** The file that is written on request: `acmcp build --client`. */
export const clientFile = 'generated/client.ts'
