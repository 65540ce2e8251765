/** Entry of reports: their style, on the screen and on paper. The server draws everything else. */

import "./styles/report.css";
