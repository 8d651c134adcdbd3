// Looks addresses up with the standard library alone: go run main.go 192.0.2.5 …   Environment: PULSE_URL, PULSE_KEY.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"
)

// answer holds the fields this program reads of a verdict or a refusal; further keys are ignored.
type answer struct {
	EvidenceState string `json:"evidence_state"`
	Risk          struct{ Score int }
	Error         struct{ Code string }
}

var client = http.Client{Timeout: 2 * time.Second}

func lookUp(base, ip string) (found answer, err error) {
	request, err := http.NewRequest("GET", base+"/v1/ip/"+url.PathEscape(ip), nil)
	if err != nil {
		return found, err
	}
	if key := os.Getenv("PULSE_KEY"); key != "" {
		request.Header.Set("X-API-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return found, err
	}
	defer response.Body.Close()
	err = json.NewDecoder(response.Body).Decode(&found)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s, retry after %s s", found.Error.Code, response.Header.Get("Retry-After"))
	}
	return found, err
}

// decide reads evidence_state first: a score of 0 is not a statement of safety.
func decide(verdict answer) string {
	switch score := verdict.Risk.Score; {
	case verdict.EvidenceState != "active":
		return "unknown"
	case score >= 70:
		return "deny"
	case score >= 30:
		return "challenge"
	}
	return "allow"
}

func main() {
	base := os.Getenv("PULSE_URL")
	if base == "" {
		base = "http://127.0.0.1:8080"
	}
	for _, ip := range os.Args[1:] {
		verdict, err := lookUp(base, ip)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", ip, err)
			os.Exit(1)
		}
		fmt.Println(ip, decide(verdict))
	}
}
