/** Ids that are addresses: an https URL names the document that describes a client. */

/** Whether `id` names a document rather than a row of the store. */
export function isDocumentId(id: string): boolean {
  return /^https:\/\//i.test(id)
}

/** The host that publishes the client's document, or null for a registered client. */
export function documentHost(id: string): string | null {
  return isDocumentId(id) ? new URL(id).host : null
}
