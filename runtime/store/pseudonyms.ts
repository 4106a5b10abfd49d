/** How the pseudonym of somebody begins who has been erased. No provider's users have one: there is no colon in it. */
export const erasedPrefix = 'erased-'
