import { IN } from 'virtual:help'
import { useState } from 'react'
import { Link } from 'react-router'
import { face } from '../../shared/face.ts'
import { webUrl } from '../../shared/links.ts'
import { t } from '../../shared/messages.ts'
import { language } from '../../shared/meta.ts'
import { rich } from '../../shared/rich.tsx'
import { said } from '../../shared/words.ts'
import { FilterBox } from '../parts/filter-box.tsx'
import { hasWords } from '../parts/has-words.ts'
import { useServer } from '../parts/server.ts'
import { Title } from '../parts/title.tsx'
import './help.css'

const ENGLISH = { lang: 'en', dir: 'ltr' } as const
const isTranslated = Object.hasOwn(IN, language)
/** Of the whole help, where this language has none. */
const asWhole = isTranslated ? {} : ENGLISH

const textOf = (html: string) => new DOMParser().parseFromString(html, 'text/html').body.textContent

async function readSections() {
  const { SECTIONS } = await IN[isTranslated ? language : 'en']!()
  return SECTIONS.map(({ id, heading, html, isEnglish }) => ({
    id,
    heading: said(heading),
    html: said(html),
    /** What is searched. */
    text: `${said(heading)} ${textOf(said(html))}`,
    ofHeading: isEnglish ? ENGLISH : {},
  }))
}

let sections: Awaited<ReturnType<typeof readSections>> = []
/** The router shows the screen when its text is there, so that a link into it finds its place. */
export async function loader() {
  sections = await readSections()
  return null
}

/** `/help`: how members join, write, are left in peace, and leave. */
export function Component() {
  const [typed, setTyped] = useState('')
  const found = sections.filter(({ text }) => hasWords(typed, text))
  return (
    <div className="form-screen">
      <Title>{t('Help')}</Title>
      <h1>{rich('Help for {name}', { name: <bdi>{face.name}</bdi> })}</h1>
      <FilterBox label={t('Search the help')} value={typed} onChange={setTyped} />
      {typed === '' && (
        <nav className="help-contents" aria-label={t('Contents')}>
          {sections.map(({ id, heading, ofHeading }) => (
            <a key={id} href={`#${id}`} {...asWhole} {...ofHeading}>
              {heading}
            </a>
          ))}
        </nav>
      )}
      {found.map(({ id, heading, html, ofHeading }) => (
        <section key={id} aria-labelledby={id} {...asWhole}>
          <h2 id={id} {...ofHeading}>
            {heading}
          </h2>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a chapter of the guide, rendered by the build */}
          <div className="help-text" dangerouslySetInnerHTML={{ __html: html }} />
        </section>
      ))}
      {found.length === 0 && <p role="status">{t('Nothing here has all of these words.')}</p>}
      <Asking />
    </div>
  )
}

/** Whom to ask when the help does not. */
function Asking() {
  const { contact } = useServer().data ?? {}
  const url = contact ? webUrl(contact) : undefined
  return (
    <section aria-labelledby="asking">
      <h2 id="asking">{t('This server')}</h2>
      <p>
        <Link to="/rules">{t('Its rules')}</Link> · <Link to="/about">{t('About it')}</Link>
      </p>
      {contact && (
        <p>
          {t('Who runs it:')}{' '}
          {url ? (
            <a href={url.href} rel="noopener noreferrer">
              {contact}
            </a>
          ) : (
            <bdi>{contact}</bdi>
          )}
        </p>
      )}
    </section>
  )
}
