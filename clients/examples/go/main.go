// Asks what to do about addresses, with the standard library alone: go run main.go 192.0.2.5 …   Environment: PULSE_URL, PULSE_KEY.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"
)

// refusal holds the field this program reads of an error; further keys are ignored.
type refusal struct {
	Error struct{ Code string }
}

var client = http.Client{Timeout: 2 * time.Second}

// decide returns the order of the service by the policy of the key (allow, challenge or deny) and why. 403 is a denial too.
func decide(base, ip string) (action, reason string, err error) {
	request, err := http.NewRequest("GET", base+"/v1/decide?ip="+url.QueryEscape(ip), nil)
	if err != nil {
		return "", "", err
	}
	request.Header.Set("X-API-Key", os.Getenv("PULSE_KEY"))
	response, err := client.Do(request)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	if action = response.Header.Get("X-Pulse-Action"); action == "" {
		var found refusal
		if err = json.NewDecoder(response.Body).Decode(&found); err == nil {
			err = fmt.Errorf("%s, retry after %s s", found.Error.Code, response.Header.Get("Retry-After"))
		}
	}
	return action, response.Header.Get("X-Pulse-Reason"), err
}

func main() {
	base := os.Getenv("PULSE_URL")
	if base == "" {
		base = "http://127.0.0.1:8080"
	}
	for _, ip := range os.Args[1:] {
		action, reason, err := decide(base, ip)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", ip, err)
			os.Exit(1)
		}
		fmt.Println(ip, action, reason)
	}
}
