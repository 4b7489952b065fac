// A strict part of Markdown: headings, paragraphs, lists, bold, italics and links. Everything else is shown as it was
// written. It makes elements and never markup, so that no text becomes a script, a picture or a frame.

const HEADING = /^(#{1,3}) +(.*)$/
const ITEM = /^(?:[-*+]|\d{1,3}[.)]) +(.*)$/
const ORDERED = /^\d/
/** Texts are at most 20,000 characters; this bounds their elements. */
const MAX_BLOCKS = 1_000

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'text'; readonly text: string }

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  for (const part of markdown.replace(/\r\n?/g, '\n').split(/\n{2,}/)) {
    let lines: string[] = []
    let items: string[] = []
    let isOrdered = false
    const endText = () => {
      if (lines.length > 0) blocks.push({ kind: 'text', text: lines.join(' ') })
      lines = []
    }
    const endList = () => {
      if (items.length > 0) blocks.push({ kind: 'list', isOrdered, items })
      items = []
    }
    for (const line of part.split('\n').map((one) => one.trim())) {
      const heading = HEADING.exec(line)
      const item = ITEM.exec(line)
      if (item) {
        endText()
        if (items.length === 0) isOrdered = ORDERED.test(line)
        items.push(item[1]!)
      } else if (heading) {
        endText()
        endList()
        blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]! })
      } else if (items.length > 0 && line !== '') items.push(`${items.pop()} ${line}`)
      else if (line !== '') lines.push(line)
    }
    endText()
    endList()
  }
  return blocks.slice(0, MAX_BLOCKS)
}
