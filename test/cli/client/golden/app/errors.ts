export class Problem extends Error {
  readonly detail = 'because'
}

export class Late extends Error {
  readonly until = new Date(0)
}
