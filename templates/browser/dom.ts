/** Elements for our pages. Whatever is shown is a text node: no string ever becomes markup. */

export type Child = Node | string | null

type Attributes = Readonly<Record<string, string | boolean>>

/** An element with these attributes (true = without a value, false = not there) and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(attribute, value === true ? '' : value)
  }
  made.append(...children.filter((child) => child !== null))
  return made
}

/** A button that does something. */
export function button(label: string, kind: string, press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: kind }, [label])
  made.addEventListener('click', press)
  return made
}

/** Text as it is, scrolling where it is too wide; `label` tells assistive technology what it is. */
export const preformatted = (text: string, label: string): HTMLElement =>
  element('pre', { tabindex: '0', role: 'region', 'aria-label': label }, [text])

/** Content that is shown only when the user opens it. */
export const disclosure = (summary: Child, children: readonly Child[]): HTMLDetailsElement =>
  element('details', {}, [element('summary', {}, [summary]), ...children])

/** A note in words and in a colour. */
export const noticeView = (kind: string, heading: string, text: string): HTMLElement =>
  element('div', { class: `notice ${kind}` }, [element('strong', {}, [heading]), ' ', text])
