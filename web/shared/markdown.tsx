import type { ReactNode } from 'react'
import { webUrl } from './links.ts'
import { type Block, blocksOf } from './markdown-blocks.ts'

// The elements of Markdown as markdown-blocks.ts reads it.

/** Headings begin at the level below the heading of the page. */
type Props = { text: string; lang?: string; dir?: string }
export const Markdown = ({ text, lang, dir = 'auto' }: Props) => (
  <div className="markdown" lang={lang} dir={dir}>
    {blocksOf(text).map((block, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: blocks that never change
      <BlockView key={i} block={block} />
    ))}
  </div>
)

function BlockView({ block }: { block: Block }) {
  if (block.kind === 'text') return <p>{inline(block.text)}</p>
  if (block.kind === 'list') {
    const items = block.items.map((item, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: items that never change
      <li key={i}>{inline(item)}</li>
    ))
    return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>
  }
  return block.level === 1 ? <h2>{inline(block.text)}</h2> : <h3>{inline(block.text)}</h3>
}

/** No part can begin in many places of one run of characters, so that each text is read in linear time. */
const PARTS =
  /\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s()<>]{1,500})\)|\*\*([^*\n]{1,500})\*\*|\*([^*\n]{1,500})\*/g

function inline(text: string): ReactNode[] {
  const nodes: ReactNode[] = []
  let at = 0
  for (const { 0: whole, 1: label, 2: target, 3: bold, 4: italic, index } of text.matchAll(PARTS)) {
    nodes.push(text.slice(at, index))
    at = index + whole.length
    const url = target && webUrl(target)
    if (label && url) {
      nodes.push(
        <a key={index} href={url.href} rel="noopener noreferrer nofollow" target="_blank">
          {label}
        </a>,
      )
    } else if (bold) nodes.push(<strong key={index}>{bold}</strong>)
    else if (italic) nodes.push(<em key={index}>{italic}</em>)
    else nodes.push(whole)
  }
  nodes.push(text.slice(at))
  return nodes
}
