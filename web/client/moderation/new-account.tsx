import { words } from '../../shared/words.ts'
import { type NewAccount, useNewAccount } from './calls.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })

/** Says above what a new account writes what it may send, and until when. */
export function NewAccountTerms() {
  const terms = useNewAccount()
  if (!terms || terms.endsAt * 1_000 < Date.now()) return null
  return (
    <p className="muted">
      Your account is new here. Until {DAY.format(terms.endsAt * 1_000)} you may write{' '}
      {postsOf(terms)}.
    </p>
  )
}

function postsOf({ posts, links, mentions }: NewAccount): string {
  if (posts === 0) return `no ${words.posts}`
  const count =
    posts === null
      ? words.posts
      : posts === 1
        ? `one ${words.post} in 24 hours`
        : `${posts} ${words.posts} in 24 hours`
  const bounds = [boundOf(links, 'link'), boundOf(mentions, 'mention')].filter(Boolean)
  return bounds.length === 0 ? count : `${count}, each with ${bounds.join(' and ')}`
}

const boundOf = (most: number | null, what: string): string | undefined =>
  most === null
    ? undefined
    : most === 0
      ? `no ${what}s`
      : `at most ${most === 1 ? `one ${what}` : `${most} ${what}s`}`
