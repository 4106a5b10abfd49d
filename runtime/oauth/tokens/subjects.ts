/** How clients that act for no user are told from users. */

/** No user's id begins like this: providers have other names. */
const prefix = 'client:'

/** The `sub` of a client's own tokens. */
export const subjectOf = (clientId: string): string => `${prefix}${clientId}`

/** Whether the subject of a token is a client, known or not. */
export const isClientSubject = (subject: string): boolean => subject.startsWith(prefix)

/** The user of an event in log and audit: a client that acts for itself has none. */
export const auditedUser = (subject: string): { readonly user?: string } =>
  isClientSubject(subject) ? {} : { user: subject }
