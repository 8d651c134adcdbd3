import 'virtual:mantine.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { styleNonce } from './style-nonce.ts';
import { theme } from './theme.ts';

// Dialogs lock the page's scrolling with a style element made by react-remove-scroll, which takes its nonce
// from this name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

// Paper is light, whatever the screen is.
const screen = document.documentElement.dataset;
let scheme: string | undefined;
addEventListener('beforeprint', () => {
  scheme = screen['mantineColorScheme'];
  screen['mantineColorScheme'] = 'light';
});
addEventListener('afterprint', () => {
  screen['mantineColorScheme'] = scheme;
});

const root = document.getElementById('root');
if (root === null) throw new Error('the document has no #root');
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <App />
    </MantineProvider>
  </StrictMode>,
);
