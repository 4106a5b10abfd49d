/** How the pseudonym of an erased user begins. No provider's users have one: there is no colon in it. */
export const erasedPrefix = 'erased-'
