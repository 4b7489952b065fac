import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { useMirror } from '../shell/mirror-line.tsx'
import type { PersonScreen } from '../types.ts'
import { Failed, Shown } from './states.tsx'

// What a mirror of chosen people does not have.

type Scope = NonNullable<PersonScreen['mirrored']>

const HEADING = t('Not mirrored here')
const TEXTS: Record<Scope, string> = {
  outside: t('This server mirrors other people, and has no messages of this one.'),
  context: t('This server has the profile, and the {posts} that others answer or quote.'),
  frozen: t('This server does not follow this person any more. What is new is missing.'),
}

/** What there is of somebody who is not among the people of a mirror. */
export function NotMirrored({ scope }: { scope: Scope }) {
  return (
    <div className="notice plain">
      <Icon name="question" />
      <div>
        <strong>{HEADING}</strong>
        <p>{TEXTS[scope]}</p>
      </div>
    </div>
  )
}

/** A whole screen that failed: of a mirror of chosen people, what is not here may be at its source. */
export function FailedScreen({ error, retry }: { error: Error; retry: () => void }) {
  const mirror = useMirror()
  const isGone = error instanceof Refusal && error.status === 404
  if (!isGone || mirror?.scope !== 'chosen') return <Failed isScreen error={error} retry={retry} />
  return (
    <Shown isScreen icon="question" heading={HEADING}>
      <p>
        {rich('This server mirrors some people of {host}.', { host: <bdi>{mirror.host}</bdi> })}
      </p>
    </Shown>
  )
}
