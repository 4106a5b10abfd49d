/** The text on a shape. */
interface Label {
  text: string
}
export type { Label }
export { type Label as Text }
