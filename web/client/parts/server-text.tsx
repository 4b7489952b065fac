import { languageName } from '../../shared/language-name.ts'
import { Markdown } from '../../shared/markdown.tsx'
import { t } from '../../shared/messages.ts'
import { langOf, type Server } from './server.ts'

/** The rules or what is said about privacy; of a translation also the text that counts. */
export function ServerText({ server, field }: { server: Server; field: 'rules' | 'privacy' }) {
  const original = server.originals[field]
  const own = server.language || 'en'
  return (
    <>
      <Markdown
        text={server[field]}
        lang={langOf(server, field)}
        // A translation is in the language of the page.
        dir={original === undefined ? 'auto' : document.dir}
      />
      {original !== undefined && (
        <>
          <p className="muted">
            {t('This is a translation. The text in {language} counts.', {
              language: languageName(own),
            })}
          </p>
          <details>
            <summary>{t('The text in {language}', { language: languageName(own) })}</summary>
            <Markdown text={original} lang={own} />
          </details>
        </>
      )}
    </>
  )
}
