import { defineConfig, type UserConfig } from 'vite';

const heddle = process.env.HEDDLE_URL ?? 'http://127.0.0.1:7400';

/** `npm run build:web` and `npm run web`, which sends the requests of the page to a running heddle. */
export default defineConfig(async ({ command }): Promise<UserConfig> => {
  // Hot reload is a tool of developers: production installs build the page without it.
  const plugins = command === 'serve' ? [(await import('@vitejs/plugin-react')).default()] : [];
  return {
    root: import.meta.dirname,
    plugins,
    build: {
      target: ['chrome125', 'firefox128', 'safari17.5'],
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 800,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        // Libraries mark what must run in the browser: here, all of it does.
        onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
        // By default each set of modules that the same pages share is a file, and a page loads dozens of them.
        output: {
          codeSplitting: {
            groups: [
              { name: 'shell', test: /^(?!.*\/(main\.tsx|index\.html)$)/, tags: ['$initial'], priority: 1 },
              // Tabs bring much of their library along.
              { name: 'shared', test: /\/web\/src\/(?!ui\/Tabs)/, minShareCount: 5 },
            ],
          },
        },
      },
    },
    server: {
      proxy: {
        // Everything but the files of the page itself and the addresses that browsers open.
        '^/(?!@|src/|node_modules/|index\\.html)': {
          target: heddle,
          bypass: ({ headers }) => (headers.accept?.includes('text/html') ? '/index.html' : undefined),
        },
      },
    },
  };
});
