import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { Bird } from '../../shared/bird.tsx'
import { face } from '../../shared/face.ts'
import { webUrl } from '../../shared/links.ts'
import { t } from '../../shared/messages.ts'
import { metaLang } from '../../shared/meta-lang.ts'
import { cleanText } from '../../shared/text.ts'
import { useMirror } from '../shell/mirror-line.tsx'
import { langOf, rulesIn, useServer } from './server.ts'
import './door.css'

// Where one is, for who has no account yet.

/** Rules that the door names; the others are one link away. */
const MAX_SHOWN = 5

const LanguageSelect = lazy(async () => ({
  default: (await import('./language-select.tsx')).LanguageSelect,
}))
const Foot = () => (
  <div className="door-foot">
    <Suspense>
      <LanguageSelect />
    </Suspense>
  </div>
)

const Head = () => (
  <>
    {face.header && <img className="door-header" src={face.header} alt="" />}
    <div className="door-head">
      {face.picture ? <img className="server-picture" src={face.picture} alt="" /> : <Bird />}
      <div>
        <strong dir="auto">{face.name}</strong>
        {face.description && (
          <p className="muted" lang={metaLang('description')} dir="auto">
            {face.description}
          </p>
        )}
      </div>
    </div>
  </>
)

/** Above the front page: it has no request of its own. */
export const FrontDoor = () => (
  <section className="door" aria-label={t('About {name}', { name: face.name })}>
    <Head />
    {!useMirror() && (
      <p className="buttons">
        <Link to="/join" className="primary">
          {t('Join')}
        </Link>
        <Link to="/join/sign-in" className="secondary">
          {t('Sign in')}
        </Link>
      </p>
    )}
    <p className="door-links">
      <Link to="/about">{t('About')}</Link>
      {face.pages.map((page) => (
        <Link key={page} to={`/${page}`}>
          {page === 'rules' ? t('Rules') : t('Privacy')}
        </Link>
      ))}
    </p>
    <Foot />
  </section>
)

/** Where one joins or signs in: also the rules in short, who runs it, and that everything is public. */
export function Door() {
  const { data } = useServer()
  const rules = data ? rulesIn(data.rules) : []
  const contact = data?.contact ?? ''
  const url = webUrl(contact)
  return (
    <section className="door" aria-label={t('About {name}', { name: face.name })}>
      <Head />
      {rules.length > 0 && (
        <>
          <p>{t('The rules in short:')}</p>
          <ul lang={langOf(data!, 'rules')}>
            {rules.slice(0, MAX_SHOWN).map((rule) => (
              <li key={rule} dir="auto">
                {cleanText(rule)}
              </li>
            ))}
          </ul>
        </>
      )}
      {contact && (
        <p className="muted">
          {t('Who runs it:')}{' '}
          {url ? (
            <a href={url.href} rel="noopener noreferrer">
              {contact}
            </a>
          ) : (
            <bdi>{cleanText(contact)}</bdi>
          )}
        </p>
      )}
      <p className="muted">
        {t(
          'Everything that you write here is public. It is signed in your name, and other servers may keep copies.',
        )}
      </p>
      {face.pages.length > 0 && (
        <p className="door-links">
          {face.pages.map((page) => (
            <Link key={page} to={`/${page}`}>
              {page === 'rules' ? t('All rules') : t('Privacy')}
            </Link>
          ))}
        </p>
      )}
      <Foot />
    </section>
  )
}
