/** The consent page: what a ticked scope implies stays ticked, and Enter in a tick sends nothing. The server decides the same
 *  without it. */

export function startConsentPage(): void {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('input[data-implies]')]
  const settle = (): void => {
    const implied = boxes.filter(({ checked }) => checked).flatMap(({ dataset }) => impliedBy(dataset))
    for (const box of boxes) box.checked ||= implied.includes(box.name)
  }
  document.addEventListener('change', settle)
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && boxes.some((box) => box === event.target)) event.preventDefault()
  })
  settle()
}

/** Names of fields; a scope names with all that it implies, however far. */
const impliedBy = ({ implies = '' }: DOMStringMap): readonly string[] => implies.split(' ')
