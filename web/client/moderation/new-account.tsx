import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { words } from '../../shared/words.ts'
import { type NewAccount, useNewAccount } from './calls.ts'

const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })

/** Says above what a new account writes what it may send, and until when. */
export function NewAccountTerms() {
  const terms = useNewAccount()
  if (!terms || terms.endsAt * 1_000 < Date.now()) return null
  return (
    <p className="muted">
      {t('Your account is new here. Until {date} you may write {postsText}.', {
        date: DAY.format(terms.endsAt * 1_000),
        postsText: postsOf(terms),
      })}
    </p>
  )
}

function postsOf({ posts, links, mentions }: NewAccount): string {
  if (posts === 0) return `no ${words.posts}`
  const count =
    posts === null
      ? words.posts
      : t('{postsText, plural, one {one {post} in 24 hours} other {# {posts} in 24 hours}}', {
          postsText: posts,
        })
  const bounds = [boundOf(links, 'link'), boundOf(mentions, 'mention')].filter(Boolean)
  return bounds.length === 0
    ? count
    : t('{count}, each with {bounds}', { count, bounds: bounds.join(' and ') })
}

const boundOf = (most: number | null, what: string): string | undefined =>
  most === null
    ? undefined
    : most === 0
      ? `no ${what}s`
      : t('{most, plural, one {at most one {what}} other {at most # {what}s}}', { what, most })
