import { type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { listText } from '../../shared/text.ts'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'
import { languageName } from './names.ts'
import { chosenReads, isForeign } from './reads.ts'

type Props = {
  casts: readonly Cast[]
  /** What is shown of one, with its key. */
  show: (cast: Cast) => ReactNode
}

/** Casts of everybody. Those of strangers in other languages than the reader's are folded, each run of them into one line. */
export function Sifted({ casts, show }: Props) {
  const { fid } = useSession()
  const hasChosen = chosenReads().length > 0
  const isFolded = (cast: Cast) =>
    hasChosen &&
    cast.author.fid !== fid &&
    cast.author.viewer_context?.following !== true &&
    isForeign(cast)
  const runs: { isFolded: boolean; casts: Cast[] }[] = []
  for (const cast of casts) {
    const last = runs.at(-1)
    if (last?.isFolded && isFolded(cast)) last.casts.push(cast)
    else runs.push({ isFolded: isFolded(cast), casts: [cast] })
  }
  return runs.map((run) =>
    run.isFolded ? (
      <Fold key={run.casts[0]!.hash} casts={run.casts} show={show} />
    ) : (
      run.casts.map(show)
    ),
  )
}

function Fold({ casts, show }: Props) {
  const [isOpen, setOpen] = useState(false)
  const shown = useRef<HTMLDivElement>(null)
  // The button is gone: the keyboard goes on at what it has shown.
  useEffect(() => {
    if (isOpen) shown.current?.querySelector('article')?.focus({ preventScroll: true })
  }, [isOpen])
  if (isOpen) return <div ref={shown}>{casts.map(show)}</div>
  const languages = listText([...new Set(casts.map(({ lang }) => languageName(lang!)))])
  return (
    <div className="folded-casts">
      <span className="muted">
        {t('{count, plural, one {# {post} in {languages}} other {# {posts} in {languages}}}', {
          count: casts.length,
          languages,
        })}
      </span>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {t('Show')}
      </button>
    </div>
  )
}
