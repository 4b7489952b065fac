import { SECTIONS as TEXTS } from 'virtual:help'
import { useState } from 'react'
import { Link } from 'react-router'
import { face } from '../../shared/face.ts'
import { webUrl } from '../../shared/links.ts'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { said } from '../../shared/words.ts'
import { FilterBox, hasWords } from '../parts/filter-box.tsx'
import { useServer } from '../parts/server.ts'
import { Title } from '../parts/title.tsx'
import './help.css'

const SECTIONS = TEXTS.map((section) => ({ ...section, html: said(section.html) }))

const textOf = ({ heading, html }: (typeof SECTIONS)[number]) =>
  `${heading} ${html.replace(/<[^>]*>/g, '')}`

/** `/help`: how members join, write, are left in peace, and leave. */
export function Component() {
  const [typed, setTyped] = useState('')
  const found = SECTIONS.filter((section) => hasWords(typed, textOf(section)))
  return (
    <div className="form-screen">
      <Title>{t('Help')}</Title>
      <h1>{rich('Help for {name}', { name: <bdi>{face.name}</bdi> })}</h1>
      <FilterBox label={t('Search the help')} value={typed} onChange={setTyped} />
      {typed === '' && (
        <nav className="help-contents" aria-label={t('Contents')}>
          {SECTIONS.map(({ id, heading }) => (
            <a key={id} href={`#${id}`} lang="en" dir="ltr">
              {heading}
            </a>
          ))}
        </nav>
      )}
      {found.map(({ id, heading, html }) => (
        <section key={id} aria-labelledby={id} lang="en" dir="ltr">
          <h2 id={id}>{heading}</h2>
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
