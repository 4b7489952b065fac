import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import AskConsent from '../custody/ask-consent.tsx'
import { useIsConsentAsked } from '../moderation/calls.ts'
import { Title } from '../parts/title.tsx'

/** The screen on which a member agrees to rules that are new or have changed. */
export function Component() {
  const isAsked = useIsConsentAsked()
  return (
    <div className="form-screen">
      <Title>{t('Rules')}</Title>
      <h1>{t('The rules of this server')}</h1>
      {isAsked ? (
        <AskConsent />
      ) : (
        <>
          <p>{t('You have agreed to the rules.')}</p>
          <Link to="/" className="primary">
            {t('Go on to Home')}
          </Link>
        </>
      )}
    </div>
  )
}
