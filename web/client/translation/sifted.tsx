import { type MouseEvent, type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../../shared/messages.ts'
import { listText } from '../../shared/text.ts'
import { useIsGone } from '../act/overrides.ts'
import { MoreButton } from '../parts/more-button.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'
import { languageName } from './names.ts'
import { chosenReads, isForeign } from './reads.ts'

type Props = {
  casts: readonly Cast[]
  /** What is shown of one, with its key. */
  show: (cast: Cast) => ReactNode
  /** Where there are more. */
  pages?: Parameters<typeof MoreButton>[0]
}

/** The end of a list that ends with so many folded posts stays in sight: more are read on demand, not one page after the other. */
const MAX_FOLDED_UNSEEN = 50

/** Casts of everybody. Those of strangers in other languages than the reader's are folded, each run of them into one line. */
export function Sifted({ casts, show, pages }: Props) {
  const { fid } = useSession()
  /** Their hashes. What was opened stays open when others come before or after it. */
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const hasChosen = chosenReads().length > 0
  const isGone = useIsGone()
  const isFolded = (cast: Cast) =>
    hasChosen &&
    !opened.has(cast.hash) &&
    cast.author.fid !== fid &&
    cast.author.viewer_context?.following !== true &&
    isForeign(cast)
  const runs: { isFolded: boolean; casts: Cast[] }[] = []
  // A fold counts what opening it shows.
  for (const cast of casts.filter((one) => !isGone(one))) {
    const last = runs.at(-1)
    if (last?.isFolded && isFolded(cast)) last.casts.push(cast)
    else runs.push({ isFolded: isFolded(cast), casts: [cast] })
  }
  const open = (run: readonly Cast[]) =>
    setOpened(new Set([...opened, ...run.map(({ hash }) => hash)]))
  const end = runs.at(-1)
  return (
    <>
      {/* In one list: a post keeps what it shows, such as its translation, when a run comes before it. */}
      {runs.flatMap<ReactNode>((run) =>
        run.isFolded
          ? [<Fold key={`fold ${run.casts[0]!.hash}`} casts={run.casts} open={open} />]
          : run.casts.map(show),
      )}
      {pages && (
        <MoreButton
          {...pages}
          isOnDemand={end?.isFolded === true && end.casts.length >= MAX_FOLDED_UNSEEN}
        />
      )}
    </>
  )
}

type FoldProps = { casts: readonly Cast[]; open: (casts: readonly Cast[]) => void }

function Fold({ casts, open }: FoldProps) {
  const languages = listText([...new Set(casts.map(({ lang }) => languageName(lang!)))])
  // The button goes: the keyboard goes on at what it has shown.
  const show = ({ currentTarget }: MouseEvent) => {
    const { parentElement: list, previousElementSibling: before } = currentTarget.parentElement!
    flushSync(() => open(casts))
    const first = before ? before.nextElementSibling : list?.firstElementChild
    if (first instanceof HTMLElement) first.focus({ preventScroll: true })
  }
  return (
    <div className="folded-casts">
      <span className="muted">
        {t('{count, plural, one {# {post} in {languages}} other {# {posts} in {languages}}}', {
          count: casts.length,
          languages,
        })}
      </span>
      <button type="button" className="link" onClick={show}>
        {t('Show')}
      </button>
    </div>
  )
}
