/** How urgent it is. */
export enum Priority {
  Low = 'low',
  High = 'high',
}

/** Numbered states. */
export enum State {
  Open,
  Closed,
}

export const colours = ['red', 'green', 'blue'] as const
export type Colour = (typeof colours)[number]

export type Version = `v${number}`

export interface Circle {
  kind: 'circle'
  radius: number
}
export interface Square {
  kind: 'square'
  side: number
}
/** A shape on the board. */
export type Shape = Circle | Square

export type TicketId = string & { readonly __brand: 'TicketId' }
