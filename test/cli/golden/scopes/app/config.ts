import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { authProbe: '/users/current' },
  scopes: {
    'notes:read': 'See your notes',
    'notes:write': { text: 'Add and change notes', implies: ['notes:read'] },
    'notes:delete': { text: "Delete notes: it can't be undone", sensitive: true },
    staff: { text: 'See the notes of everybody', sensitive: true, mayHave: ({ id }) => id.startsWith('company:') },
  },
})
