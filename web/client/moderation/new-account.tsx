import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { type NewAccount, useNewAccount } from './calls.ts'

const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })

/** Says above what a new account writes what it may send, and until when. */
export function NewAccountTerms() {
  const terms = useNewAccount()
  if (!terms || terms.endsAt * 1_000 < Date.now()) return null
  const date = DAY.format(terms.endsAt * 1_000)
  return (
    <p className="muted">
      {[postsText(terms.posts, date), linksText(terms.links), mentionsText(terms.mentions)]
        .filter(Boolean)
        .join(' ')}
    </p>
  )
}

const postsText = (most: NewAccount['posts'], date: string): string =>
  most === null
    ? t('Your account is new here. Until {date} what you write has bounds.', { date })
    : most === 0
      ? t('Your account is new here. Until {date} you may write no {posts}.', { date })
      : t(
          '{most, plural, one {Your account is new here. Until {date} you may write # {post} in 24 hours.} other {Your account is new here. Until {date} you may write # {posts} in 24 hours.}}',
          { most, date },
        )

const linksText = (most: NewAccount['links']): string =>
  most === null
    ? ''
    : most === 0
      ? t('No {post} may have links.')
      : t(
          '{most, plural, one {Each {post} may have at most # link.} other {Each {post} may have at most # links.}}',
          { most },
        )

const mentionsText = (most: NewAccount['mentions']): string =>
  most === null
    ? ''
    : most === 0
      ? t('No {post} may have mentions.')
      : t(
          '{most, plural, one {Each {post} may have at most # mention.} other {Each {post} may have at most # mentions.}}',
          { most },
        )
