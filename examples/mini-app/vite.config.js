// Vite serves the page and reloads it when it changes. The other routes are those of server.js, on the same origin: the
// manifest has to be where the page is.

import { answer } from './server.js'

export default {
  plugins: [
    {
      name: 'pebbles',
      configureServer: ({ middlewares }) => {
        middlewares.use((request, response, next) =>
          new URL(request.url, 'http://localhost').pathname === '/'
            ? next()
            : answer(request, response, next),
        )
      },
      transformIndexHtml: (html, { server }) =>
        html.replaceAll('ORIGIN', `http://localhost:${server.httpServer.address().port}`),
    },
  ],
}
